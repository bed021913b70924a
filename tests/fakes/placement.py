"""A Placement of a few hosts in memory, with the methods of the client: candidates, claim, delete."""


class FakePlacement:
    """`rooms`: provider uuid -> servers it can still take. A full provider is no candidate and refuses a claim."""

    def __init__(self, rooms):
        self.rooms = dict(rooms)
        self.held = {}
        self.queries = []
        self.raises = None

    def candidates(self, query):
        if self.raises:
            raise self.raises
        self.queries.append(dict(query))
        requests = [
            {"allocations": {uuid: {"resources": {"VCPU": 1}}}, "mappings": {"": [uuid]}}
            for uuid, room in self.rooms.items()
            if room > 0
        ]
        return requests, {uuid: {"root_provider_uuid": uuid} for uuid in self.rooms}

    def claim(self, consumer, request, project, user):
        (uuid,) = request["allocations"]
        if self.rooms[uuid] < 1:
            return False
        self.rooms[uuid] -= 1
        self.held[consumer] = uuid
        return True

    def delete_allocations(self, consumer):
        uuid = self.held.pop(consumer, None)
        if uuid is None:
            return False
        self.rooms[uuid] += 1
        return True
