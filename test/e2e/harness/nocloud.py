# Reads a seed as cloud-init does: by its data source NoCloud, or user-data by that of VMware. Prints JSON.
#   nocloud.py folder DIR | vmware FILE
import json, sys, tempfile

from cloudinit import helpers, util
from cloudinit.sources import DataSourceNoCloud as nocloud
from cloudinit.sources import DataSourceVMware as vmware

kind, path = sys.argv[1:]

util.find_devs_with = lambda *_, **__: []  # no disk of this machine
paths = helpers.Paths({"cloud_dir": tempfile.mkdtemp(), "run_dir": tempfile.mkdtemp()})
source = nocloud.DataSourceNoCloud({"datasource": {"NoCloud": {}}}, None, paths)
source.seed_dirs = [path] if kind == "folder" else []
if kind == "vmware":
    source.userdata_raw = vmware.decode("guestinfo.userdata", "gzip+base64", open(path).read())
    found = True
else:
    found = source._get_data()


def parts(message):
    return [
        [part.get_content_type(), part.get_payload(decode=True).decode()]
        for part in (message.walk() if message else [])
        if part.get_content_maintype() != "multipart"
    ]


answer = {"user": parts(source.get_userdata()) if found else None}
if kind != "vmware":
    answer["found"] = found
    answer["metadata"] = source.metadata
    answer["network"] = source.network_config if found else None
    answer["vendor"] = parts(source.get_vendordata()) if found else None
print(json.dumps(answer))
