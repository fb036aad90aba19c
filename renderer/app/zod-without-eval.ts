import { z } from 'zod';

// The page's Content-Security-Policy forbids `eval`, which zod would try as soon as a schema is made; so
// this is imported before any module that has one.
z.config({ jitless: true });
