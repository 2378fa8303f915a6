# cloud-init runs this at every boot, before it writes the files of the join.
mkdir -p "${identity_file%/*}" || exit
printf '%s\n' "$identity" >"$identity_file.new" && mv -f "$identity_file.new" "$identity_file"
