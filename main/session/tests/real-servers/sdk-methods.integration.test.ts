import { testMethodsOf } from '#fixtures/protocol/real-methods.ts';

testMethodsOf('the official SDK');
