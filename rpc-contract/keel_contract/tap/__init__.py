"""The tap: watch a live broker, decode what travels, hold it against the contract, and tell who speaks what to whom.

``wire`` decodes, ``judge`` checks, ``senders`` finds out who sent, ``tally`` counts and concludes, ``masking`` and
``corpus`` record, ``mirror`` copies messages from a broker without disturbing it, ``lines`` and ``screen`` show.
"""
