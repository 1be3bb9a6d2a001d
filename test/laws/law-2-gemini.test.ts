import { law2 } from "./law-2-suite.ts";

law2("gemini");
