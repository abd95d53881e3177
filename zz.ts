import { compare, oursOn, theirs, caseAt } from './test/support/snarkjs/differential.ts';
const from=Number(process.argv[2]??0), to=Number(process.argv[3]??400);
const s=[oursOn('native',{backend:'native',workers:1})];
let b=performance.now(); for(let i=from;i<Math.min(to,from+200);i++) await caseAt(i); console.log('gen',(performance.now()-b)/Math.min(200,to-from));
b=performance.now();
const c=await compare(s,from,to);
console.log((performance.now()-b)/(to-from),'ms each', c.cases,c.agreements); console.log(c.differences); for(const d of c.disagreements) console.log(JSON.stringify(d));
await s[0].close(); await theirs.close();
