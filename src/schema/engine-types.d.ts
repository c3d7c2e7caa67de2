declare module '*/ata-validator/lib/js-compiler.js' {
  const compiler: {
    compileToJSCodegen(
      schema: unknown,
      documents: null,
      formats: Readonly<Record<string, (text: string) => boolean>>,
    ): ((value: unknown) => boolean) | null;
  };
  export default compiler;
}
