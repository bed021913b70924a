"""Images are fetched ahead of time by the hosts of an aggregate (nova 34.0.0 ``[image_cache]precache_concurrency``)."""

import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from keel_common.db import Cell
from keel_common.db.stores.nova import cell_mappings, services
from keel_conductor.peers import Peers
from keel_contract.context import Context
from keel_contract.errors import BusError

LOG = logging.getLogger(__name__)
BINARY = "nova-compute"


def cache_images(peers: Peers, context: Context, hosts: list[str], image_ids: list[str]) -> dict[str, dict[str, str]]:
    """Asks every host that is up to fetch the images; what each said of each image. A host that is down, or does not
    answer, is told in the log and left out."""
    places = [(host, cell) for host in hosts if (cell := _working_cell(peers, host)) is not None]
    with ThreadPoolExecutor(max(1, peers.conf.image_cache.precache_concurrency)) as pool:
        answers = pool.map(lambda place: _ask(peers, context, place[0], place[1], image_ids), places)
        return {host: told for (host, _), told in zip(places, answers, strict=True) if told is not None}


def _working_cell(peers: Peers, host: str) -> Cell | None:
    mapping = peers.cells.api.read(cell_mappings.host, host)
    if mapping is None or mapping["cell"] is None:
        LOG.warning("Host %s is in no cell: no images are fetched there", host)
        return None
    cell = peers.cells.get(mapping["cell"]["uuid"])
    row = cell.db.read(services.by_host_and_binary, host, BINARY)
    if row is None or not services.is_up(row, peers.conf.service_down_time):
        LOG.info("Host %s is down: no images are fetched there", host)
        return None
    return cell


def _ask(peers: Peers, context: Context, host: str, cell: Cell, image_ids: list[str]) -> Any:
    try:
        told = peers.compute(cell).send(context, "cache_images", server=host, image_ids=image_ids)
    except BusError as error:
        LOG.warning("Host %s fetched no images: %s", host, error)
        return None
    LOG.info("Host %s: %s", host, told)
    return told
