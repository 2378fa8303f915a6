# Each line has a path below /proc/sys and a value.
set_parameters() {
  echo "$parameters" | while read -r path value; do
    echo "$value" > "/proc/sys/$path" || { say "/proc/sys/$path cannot be set"; exit 78; }
  done
}
