"""Other extractors, for comparison only: lazy, and where their pins clash in an environment of their own."""

from broadsheet.evaluation.peers.homes import find_home_python, make_homes, read_version
from broadsheet.evaluation.peers.table import PEERS, Peer

__all__ = ["PEERS", "Peer", "find_home_python", "make_homes", "read_version"]
