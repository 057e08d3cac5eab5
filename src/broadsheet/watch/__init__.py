"""Watch: poll sites, report new, changed and vanished articles once, and raise alarms. Extra `discover`."""

from broadsheet.watch.config import WatchAlert, WatchConfig, WatchedSite, load_config
from broadsheet.watch.poll import PollReport
from broadsheet.watch.run import Watch, run_forever

__all__ = ["PollReport", "Watch", "WatchAlert", "WatchConfig", "WatchedSite", "load_config", "run_forever"]
