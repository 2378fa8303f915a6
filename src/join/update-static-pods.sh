# Static Pods of a former join, by their annotation. kubelet ends a Pod whose file is gone.
former_pods() {
  for pod in "$pod_folder"/*.yaml; do
    case " $(echo $static_pods) " in *" $pod "*) continue ;; esac
    ! grep -q '^ *edge-nodepools/static-pod:' "$pod" 2>/dev/null || echo "$pod"
  done
}
save_pods() { for path in $(former_pods); do save "$path" || return; done; }
drop_pods() { for path in $(former_pods); do drop "$path" || return; done; }
