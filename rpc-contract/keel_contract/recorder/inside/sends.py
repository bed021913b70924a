"""What a client sends: each of its methods driven at each version the peers may be pinned to.

A method is called with a sample for every parameter. Parameters that change more of the message than their own value
(the version, the arguments, the destination, call or cast, or whether anything is sent at all) are found by trying,
and the method is driven with all combinations of theirs.
"""

import inspect
import itertools
import json

from .servers import CONTEXT
from .signatures import arguments, innermost, names
from .wire import plain

REF = "="  # a recorded value that starts so is the sample of that name
_CRASHES = ("AttributeError", "IndexError", "KeyError", "TypeError", "ValueError")  # no refusal: a wrong value
_TOO_MANY = 6  # parameters whose combinations are all tried


class Samples:
    """Values for parameters.

    :ivar values: name of a sample -> value; "volume" for the parameter, "volume~clustered" for another of its kind
    :param serialize: value -> its form on the wire
    """

    def __init__(self, values, serialize):
        self.values = values
        self.serialize = serialize
        self.wire = {}

    def of(self, parameter):
        """The names of the samples of a parameter; the first is the usual one. Made up where none was prepared."""
        if parameter not in self.values:
            self.values[parameter] = f"<{parameter}>"
        return [parameter, *sorted(name for name in self.values if name.startswith(f"{parameter}~"))]

    def form(self, name):
        """The wire form of a sample, None when it has none."""
        if name not in self.wire:
            try:
                self.wire[name] = plain(self.serialize(self.values[name]))
            except TypeError:
                self.wire[name] = None
        return self.wire[name]

    def reference(self, argument, value, chosen):
        """``value`` as "=sample" when it is the wire form of one of those ``chosen`` (parameter -> sample)."""
        if isinstance(value, bool) or value is None:
            return value
        own = [chosen[argument]] if argument in chosen else []
        for name in (*own, *chosen.values()):
            if name is not None and name in self.values and self.form(name) == value:
                return REF + name
        return value

    def used(self):
        """Wire forms of the samples that were asked for, to be kept beside the recording."""
        return {name: form for name, form in sorted(self.wire.items()) if form is not None}


class Client:
    """One client class.

    :param make: version the peers are pinned to (None: not pinned) -> (API object, list of messages it will fill);
        it is made anew for each message, because a process of a real release keeps one pin
    :param caps: the pins to try, newest first
    """

    def __init__(self, cls, make, caps, context, samples):
        self.cls = cls
        self.caps = caps
        self.context = context
        self.samples = samples
        self.make = make

    def record(self):
        """Method -> {"params": .., "branches": [..]} of every method that sends something."""
        found = {}
        for name in self._methods():
            cases = self._cases(name)
            branches = [branch for chosen, when in cases for branch in self._branches(name, chosen, when)]
            if any("method" in branch for branch in branches):
                found[name] = {"params": self._parameters(name), "branches": branches}
        return found

    def _parameters(self, name):
        return arguments(innermost(inspect.getattr_static(self.cls, name), name), 2)

    def _methods(self):
        for name in sorted(dir(self.cls)):
            function = inspect.getattr_static(self.cls, name)
            if name.startswith("_") or not inspect.isfunction(function):
                continue
            parameters = list(inspect.signature(innermost(function, name)).parameters)
            if len(parameters) > 1 and parameters[1] in CONTEXT:
                yield name

    def _cases(self, name):
        """(parameter -> sample or literal, the part of it that is told) for every combination that matters."""
        usual, others = {}, {}
        for parameter in names(self._parameters(name)):
            first, *more = self.samples.of(parameter)
            usual[parameter] = first
            value = self.samples.values[first]
            others[parameter] = [*more, (not value) if isinstance(value, bool) else None]
        deciding = self._deciding(name, usual, others)
        if len(deciding) > _TOO_MANY:
            raise ValueError(f"{self.cls.__name__}.{name}: too many deciding parameters: {deciding}")
        for values in itertools.product(*([usual[parameter], *others[parameter]] for parameter in deciding)):
            when = dict(zip(deciding, values, strict=True))
            chosen = {**usual, **when}
            if self._shape(name, chosen) is not None:
                yield chosen, {key: REF + value if isinstance(value, str) else value for key, value in when.items()}

    def _deciding(self, name, usual, others):
        """The parameters that change the message: of a call with everything, or of one with as little as goes."""
        shape, spare = self._shape(name, usual), dict(usual)
        # Flags first: what they ask for may be refused before a senseless value of another parameter is looked at.
        for parameter, values in sorted(others.items(), key=lambda item: not isinstance(item[1][-1], bool)):
            if self._shape(name, {**spare, parameter: values[-1]}) is not None:
                spare[parameter] = values[-1]
        bare = self._shape(name, spare)
        return [
            parameter
            for parameter in usual
            if any(self._matters(name, {**usual, parameter: value}, shape) for value in others[parameter])
            or self._matters(name, {**spare, parameter: usual[parameter]}, bare)
        ]

    def _matters(self, name, chosen, shape):
        found = self._shape(name, chosen)
        return found is not None and found != shape

    def _shape(self, name, chosen):
        """What is sent at each pin, without the values; None when the values make no sense to the client."""
        outcomes = [self._outcome(name, chosen, cap) for cap in self.caps]
        if "raises" in outcomes[0] or any(outcome.get("raises") in _CRASHES for outcome in outcomes):
            return None
        for outcome in outcomes:
            outcome["args"] = sorted(outcome.get("args", ()))
        return json.dumps(outcomes, sort_keys=True)

    def _branches(self, name, chosen, when):
        """Neighbouring pins with equal messages, as one."""
        found: list = []
        for cap in self.caps:
            outcome = self._outcome(name, chosen, cap)
            if not found or {k: v for k, v in found[-1].items() if k not in ("caps", "when")} != outcome:
                found.append({"caps": [], "when": when, **outcome})
            found[-1]["caps"].append(cap)
        return found

    def _outcome(self, name, chosen, cap):
        """The message, {"raises": class} or {} when nothing was sent."""
        api, sent = self.make(cap)
        sent.clear()
        values = {key: self.samples.values[v] if isinstance(v, str) else v for key, v in chosen.items()}
        try:
            getattr(api, name)(self.context, **values)
        except Exception as fault:
            if not sent:
                return {"raises": type(fault).__name__}
        if not sent:
            return {}
        if len(sent) > 1:
            raise ValueError(f"{name} sends {len(sent)} messages")
        message = dict(sent[0])
        message["args"] = {key: self.samples.reference(key, value, chosen) for key, value in message["args"].items()}
        for key in ("server", "topic"):
            message[key] = self.samples.reference(key, message[key], chosen)
        return message
