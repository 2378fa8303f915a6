#: identity
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
#: identity-kubeadm
# The token is in both files and in no argument.
leftovers="$leftovers $run/machine-config.yaml"
fill_identity() {
  (umask 077; sed "s~machine-name.placeholder~$name~; s~,machine-labels.placeholder~$labels~" "$join_config" \
    > "$run/machine-config.yaml") && join_config=$run/machine-config.yaml
}
#: identity-record
applied="$applied
$(cat /var/lib/edge-nodepools/machine 2>/dev/null)"
#: identity-seed
# cloud-init runs this at every boot, before it writes the files of the join.
mkdir -p "${identity_file%/*}" || exit
printf '%s\n' "$identity" >"$identity_file.new" && mv -f "$identity_file.new" "$identity_file"
#: identity-yurtadm
fill_identity() {
  yurtadm_arguments="$yurtadm_arguments
--node-name=$name"
  labels=$own_labels$labels
  [ -z "$labels" ] || yurtadm_arguments="$yurtadm_arguments
--node-labels=${labels#,}"
}
