import { mount } from "svelte";
import "./base/tokens.css";
import "./base/base.css";
import Shell from "./app/Shell.svelte";

const target = document.getElementById("app");
if (!target) throw new Error("index.html has no #app");
mount(Shell, { target });
