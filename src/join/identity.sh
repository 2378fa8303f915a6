# Name and labels of this machine, one of several that share the join; the labels begin with a comma.
read_identity() {
  identity=$state/machine
  name=$(sed -n 's/^name=//p' "$identity" 2>/dev/null) labels=$(sed -n 's/^labels=//p' "$identity" 2>/dev/null)
  case $name in
    '' | *[!a-z0-9.-]*)
      say "$identity does not name this machine: the vendor-data of its seed writes it at every boot"
      return 66 ;;
  esac
  case $labels in *[!A-Za-z0-9._/=,-]*) say "$identity has labels that are none"; return 65 ;; esac
}
