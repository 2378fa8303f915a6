undo() {
  test -s backup/helm-revision || fail 'nothing was changed'
  helm rollback "$helm_release" "$(cat backup/helm-revision)" --namespace "$namespace"
  rollout
  restore_webhooks
  rm -f backup/helm-revision
}
