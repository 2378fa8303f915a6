say() { printf '%s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 1
}

# Saves what a command prints in a file of the folder backup, whole or not at all.
save() {
  file=backup/$1
  shift
  mkdir -p "${file%/*}"
  "$@" >"$file.part"
  mv "$file.part" "$file"
}
