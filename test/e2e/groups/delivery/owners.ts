/** Managers of a container of a workload. One that owns only the empty list, as Flux does, owns no container. */
export function ownersOf({ metadata }: any): string[] {
  const owns = ({ fieldsV1 }: any): boolean =>
    Object.keys(fieldsV1?.['f:spec']?.['f:template']?.['f:spec']?.['f:containers'] ?? {}).some((key) =>
      key.startsWith('k:'),
    );
  return (metadata.managedFields ?? [])
    .filter(owns)
    .map(({ manager }: any) => manager as string)
    .sort();
}
