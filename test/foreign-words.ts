/** What only programs in TypeScript write: no message of the plugin for other languages has it. */
export const FOREIGN =
  /\b(EdgeCluster|NodeReservation|SystemComponent|JoinToken|ExclusionStrategy)\b\.?|=>|\.of\(|fromPoolName|\bundefined\b|requireSecret|\bmixin\b|config\.require|\bconstructs?\b/;
