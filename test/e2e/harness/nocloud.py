# Reads a seed as cloud-init does: by its data source NoCloud, or user-data by that of VMware. Prints JSON.
#   nocloud.py folder DIR | iso FILE | vmware FILE
import json, subprocess, sys, tempfile

from cloudinit import helpers, util
from cloudinit.sources import DataSourceNoCloud as nocloud
from cloudinit.sources import DataSourceVMware as vmware

kind, path = sys.argv[1:]


def devices(criteria=None, **_):
    """blkid of a file instead of all disks."""
    if kind != "iso":
        return []
    told = subprocess.run(["blkid", "-p", "-o", "export", path], capture_output=True, text=True)
    return [path] if criteria in told.stdout.split("\n") else []


def mounted(device, callback, data=None, **_):
    """The content of the image; not every kernel mounts one."""
    folder = tempfile.mkdtemp()
    subprocess.run(["xorriso", "-osirrox", "on", "-indev", device, "-extract", "/", folder], check=True, capture_output=True)
    return callback(folder, data)


util.find_devs_with = devices
util.mount_cb = mounted
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
