import { testMethodsOf } from '#fixtures/protocol/real-methods.ts';

testMethodsOf('server-everything');
