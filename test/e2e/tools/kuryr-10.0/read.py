"""read.py FOLDER: reads *.conf of a folder as the controller of kuryr does, with its own options, and prints what it has read as JSON."""

import json
import sys

from kuryr.lib import utils
from kuryr_kubernetes import config, opts  # noqa: F401 (registers every option)
import vif_plug_linux_bridge.privsep  # noqa: F401
import vif_plug_ovs.privsep  # noqa: F401
from oslo_config import cfg, iniparser

FILES = [f'{sys.argv[1]}/{name}' for name in ('kuryr.conf', 'credentials.conf')]


class Lines(iniparser.BaseParser):
    """Every line, also of options that nobody reads."""

    def __init__(self):
        self.found = []

    def new_section(self, section):
        self.section = section

    def assignment(self, key, value):
        self.found.append((self.section, key))


config.init(['--config-dir', sys.argv[1]])
conf = cfg.CONF
auth = utils.get_auth_plugin('neutron')
lines = Lines()
for path in FILES:
    with open(path) as file:
        lines.parse(file)
read, unknown = {}, []
for section, option in lines.found:
    try:
        # options of no section are read without one
        read[f'{section}.{option}'] = (conf if section == 'DEFAULT' else conf[section])[option]
    except cfg.NoSuchOptError:
        unknown.append(f'{section}.{option}')
print(json.dumps({'read': read, 'unknown': unknown, 'auth': type(auth).__module__}))
