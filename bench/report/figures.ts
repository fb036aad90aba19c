const format = (value: number, digits: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

export const count = (value: number): string => format(value, 0);
export const milliseconds = (value: number): string => `${format(value, value < 100 ? 1 : 0)} ms`;
export const microseconds = (value: number): string => milliseconds(value / 1000);
export const megabytes = (value: number): string => `${format(value / 1e6, 0)} MB`;
export const kilobytes = (value: number): string => `${format(value / 1e3, 0)} kB`;
