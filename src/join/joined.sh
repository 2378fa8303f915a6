# kubelet.conf is there before the certificate that it names (none with yurthub); a power cut can leave parts.
is_joined() {
  [ -s "$conf" ] && [ -e "${mark:-$conf}" ] && [ -z "$(tail -c 1 "$conf")" ] &&
    grep -q 'current-context"*: *[^ ]' "$conf" && whole certificate CERTIFICATE && whole key KEY
}
whole() {
  file=$(sed -n "s/^ *\"*client-$1\(-data\)*\"*: *\"*\([^\",]*\).*/\2/p" "$conf")
  case $file in '') file=$conf end='server"*: *"*http:' ;; /*) end="-----END .*$2-----" ;; *) return ;; esac
  grep -q -e "$end" "$file" 2>/dev/null
}
