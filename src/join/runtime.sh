#: runtime
restart_runtime() { control daemon-reload; control restart "$runtime_unit"; }
#: containerd
# Sets one key of one table of config.toml, and changes nothing else. It reads the file twice; \047 is a quote.
# A table may be [a.b], or keys with dots in a table above it, to which TOML permits no [a.b]; an inline table
# stays.
set_containerd() {
  beside=${toml%/*}/.${toml##*/}.edge-nodepools # where an update that is taken back looks, too
  cp -p $toml "$beside" &&
    awk -v table="$1" -v key="$2" -v value="$3" '
      function path(name,  i, c, q, out) {
        for (i = 1; i <= length(name); i++) {
          c = substr(name, i, 1)
          if (q != "") { if (c == q) q = ""; else out = out c }
          else if (c == "\"" || c == "\047") q = c
          else if (c == ".") out = out SUBSEP
          else if (c != " " && c != "\t") out = out c
        }
        return out
      }
      function put(name) { print "  " name " = " value cr }
      BEGIN { goal = path(table) }
      { line = $0; if (sub(/\r$/, "", line)) cr = "\r" }
      FNR == 1 { here = "" }
      line ~ /^[ \t]*\[/ {
        here = line; sub(/^[ \t]*\[/, "", here); sub(/\][ \t]*(#.*)?$/, "", here); here = path(here)
      }
      NR == FNR && here == goal { last = FNR }
      line !~ /^[ \t]*[[#]/ && (at = index(line, "=")) {
        name = substr(line, 1, at - 1); sub(/^[ \t]*/, "", name); sub(/[ \t]*$/, "", name)
        full = (here == "" ? "" : here SUBSEP) path(name)
        if (NR == FNR) {
          if (full == goal && line ~ /=[ \t]*\{/) exit 3
          if (full == goal SUBSEP key) found = FNR
          else if (here != goal && index(full, goal SUBSEP) == 1 && index(name, ".")) {
            dotted = FNR; stem = name; sub(/[^.]*$/, "", stem)
          }
        } else if (FNR == found) { put(name); next }
      }
      NR != FNR {
        print
        if (!found && FNR == (last ? last : dotted)) { put(last ? key : stem key); found = -1 }
      }
      END { if (!found && NR) { print "[" table "]" cr; put(key) } }
    ' $toml $toml > "$beside" && mv "$beside" $toml && return
  rm -f "$beside"
  say "$toml cannot be edited: write $2 of [$1] into it"
  return 78
}
# Each line of $containerd_settings has the version of the file for which it is, table, key and value. A drop-in
# file would not do: containerd 1.x reads the whole section of a plugin from the last file that has it.
configure_containerd() {
  toml=/etc/containerd/config.toml
  [ -s $toml ] || { mkdir -p /etc/containerd && echo 'version = 2' > $toml; } || return
  version=$(sed -n 's/^ *version *= *\([0-9]*\).*/\1/p' $toml | head -n 1)
  case ${version:=1} in 1 | 2) ;; *) version=3 ;; esac
  echo "$containerd_settings" | while read -r for_version table key value; do
    [ "$for_version" != "$version" ] || set_containerd "$table" "$key" "$value" || exit
  done
}
#: cri
# Docker's containerd comes with CRI off, without which no node joins.
enable_cri() {
  toml=/etc/containerd/config.toml
  grep -q "^ *disabled_plugins.*[\"'.]cri[\"']" $toml 2>/dev/null || return 0
  sed -i "/^ *disabled_plugins/s/[\"'][a-z0-9.]*cri[\"'] *,*//g" $toml && control restart containerd
}
#: plugins
# Debian's containerd looks for CNI plugins elsewhere than where the packages of Kubernetes (kubernetes-cni)
# have them.
find_plugins() {
  toml=/etc/containerd/config.toml
  plugins=$(sed -n 's/^ *bin_dir *= *"\([^"]*\)".*/\1/p' $toml 2>/dev/null | head -n 1)
  [ -n "$plugins" ] && [ ! -x "$plugins/loopback" ] && [ -x /opt/cni/bin/loopback ] || return 0
  beside=${toml%/*}/.${toml##*/}.edge-nodepools
  sed 's,^\( *bin_dir *= *\)"[^"]*",\1"/opt/cni/bin",' $toml > "$beside" && mv "$beside" $toml
}
#: runtime-of-package
# Some packages start it, and it may have been configured without a change.
enable_runtime() { control enable "$runtime_unit"; }
start_runtime() { control start "$runtime_unit"; }
