# Each line has a file of the machine, and the step that reads it again.
reload_machine() {
  echo "$reloads" | while read -r path step; do
    case $changed in *"$path"*) $step ;; esac
  done
}
