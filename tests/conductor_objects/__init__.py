"""The object side of a conductor: one list of calls, answered by a real nova-conductor and by ours.

`seed*` the rows both find, `cases_*` the calls, `driver` what is noted of an answer. `reference` runs inside the Python
of a real Nova and needs nothing of this project; `ours` asks our endpoint. `python -m conductor_objects --help`.
"""
