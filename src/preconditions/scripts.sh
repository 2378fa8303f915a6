#: apply-file
# Applies a file server-side; fails if that would take away fields that the file does not name.
apply() {
  if kubectl get --filename="$1" --ignore-not-found --output=yaml |
    grep -q '^ *kubectl.kubernetes.io/last-applied-configuration:'; then
    echo "$1: an object in it came by plain kubectl apply; a server-side apply would take away what the file does not name." >&2
    echo 'Give the object as it is in the cluster to the construct, which then writes a patch.' >&2
    exit 1
  fi
  kubectl apply --server-side --field-manager="$field_manager" --force-conflicts --filename="$1"
}
#: own-folder
# A step that fails ends the script. The files that it reads are beside it.
set -e
cd "$(dirname "$0")"
#: script
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
