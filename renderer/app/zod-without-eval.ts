import { z } from 'zod';

// The page's Content-Security-Policy forbids `eval`, which zod tries when the first schema is created. So this module
// is imported before any schema.
z.config({ jitless: true });
