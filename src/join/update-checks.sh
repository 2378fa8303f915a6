# Ends the script before it changes anything, if an update cannot do what this join wants.
refuse() { other="$other, $1"; }
# stop TEXT [STATUS]
stop() { say "$1. Nothing is changed"; exit "${2:-78}"; }

# Name and labels, with which kubelet has registered and should register.
identify() {
  old=$(arg node-labels) name=$(arg hostname-override) labels=$own_labels
  [ -n "$name" ] || name=$(awk '{ print tolower($1) }' /proc/sys/kernel/hostname)
  for step in $identity; do $step || exit; done
}

check() {
  [ -z "$node_name" ] || [ "$name" = "$node_name" ] || refuse "the name ($name)"
  [ ! -e "$state/joined" ] || refuse 'how it has joined'
  [ -z "$pool_label" ] || case ",$old," in *",$pool_label,"*) ;; *) refuse 'the pool' ;; esac
  [ "$(arg register-with-taints)" = "$taints" ] || refuse taints
  case "$(arg container-runtime-endpoint) $(cat "$instance" 2>/dev/null)" in
    *"$other_runtime.sock"*) refuse 'the container runtime' ;;
  esac
  check_ca
  [ -z "$other" ] || stop "an update cannot change ${other#, } of a node: leave and join again"
  [ ! -e "$state/applied" ] ||
    { [ -s "$state/applied" ] && [ -z "$(tail -c 1 "$state/applied" | tr -c '\n' x)" ]; } ||
    say "$state/applied is empty or torn, so what this node has is unknown: everything is compared and written again"
  # a node without a record may have run none
  commands=$(echo "$applied" | grep '^[0-9a-f]* commands ' | grep -vxF -e "$(cat "$state/applied" 2>/dev/null)" |
    sed 's/^[^ ]* /, /' | tr -d '\n')
  [ -z "$commands" ] || [ -n "$accept" ] || stop "other ${commands#, }: an update runs none. Leave and join again, \
or run them yourself and then this script with --accept"
  for step in $checks; do $step || exit; done
}

check_ca() {
  ca=/etc/kubernetes/pki/ca.crt
  [ -n "$pins" ] && command -v openssl >/dev/null 2>&1 || return 0
  [ "$(grep -c 'BEGIN CERT' $ca 2>/dev/null)" = 1 ] || return 0
  pin=$(openssl x509 -in $ca -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -r)
  case " $(echo $pins) " in *" ${pin%% *} "*) ;; *) refuse 'the cluster' ;; esac
}
