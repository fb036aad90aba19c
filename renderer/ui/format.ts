export * from '#shared/format.ts';
