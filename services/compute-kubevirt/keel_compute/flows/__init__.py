"""Long operations on one server: lists of phases over a scope.

Each phase can be run again without harm: names in the cluster derive from ids, ports and attachments are looked up
before they are made, saves are guarded. A process that starts again goes on where the records and the cluster say the
last one stopped.
"""
