import { chromium } from "playwright-core";
import fs from "fs"; 
const [url,out,w,h,scheme]=process.argv.slice(2);
const d=fs.mkdtempSync("/tmp/ud-");
const c=await chromium.launchPersistentContext(d,{executablePath:"/usr/bin/chromium",headless:true,viewport:{width:+w||1440,height:+h||900},colorScheme:scheme||"light",args:["--no-sandbox","--disable-gpu","--disable-quic","--no-first-run","--disable-background-networking","--disable-component-update","--disable-sync"]});
const p=await c.newPage(); p.on("console",m=>{if(m.type()=="error")console.log("console:",m.text())}); await p.goto(url); await p.waitForTimeout(4000); await p.screenshot({path:out}); await c.close(); fs.rmSync(d,{recursive:true,force:true});
