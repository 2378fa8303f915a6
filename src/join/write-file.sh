# write_file MODE PATH: its input as a new file, because an existing one could be readable by others
write_file() { mkdir -p "${2%/*}/" && rm -f "$2" && (umask 077; cat > "$2") && chmod "$1" "$2"; }
