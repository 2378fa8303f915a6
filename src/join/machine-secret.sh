# The token comes last. A failure or a signal removes it.
sh "$state/join.sh" forget_at_boot || say 'a power cut now would leave the token on this machine'
trap 'status=$?; rm -f "$secret"; exit $status' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
