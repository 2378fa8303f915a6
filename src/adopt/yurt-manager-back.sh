undo() {
  test -s backup/helm-revision || fail 'nothing was changed'
  revision_is_kept
  forget_unfinished
  helm rollback "$helm_release" "$(cat backup/helm-revision)" --namespace "$namespace" --history-max 0 ||
    fail "Helm has stopped in the middle: run this step again, and then back."
  rollout
  restore_webhooks
  rm -f backup/helm-revision
}
