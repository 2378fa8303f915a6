add_crio() {
  add_repository edge-nodepools-cri-o edge-nodepools-cri-o cri-o "$runtime_repository/" \
    "$runtime_repository/repodata/repomd.xml.key" cri-o
}
