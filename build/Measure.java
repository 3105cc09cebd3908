import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Measures the size of source folders with the JDK's own parser. Prints one line for each folder: lines of code, which
 * are neither comments nor blank nor imports; lines of a file; files over 300 lines; lines of a method; constructors
 * and records with more than 6 parameters; and public types.
 */
final class Measure {
    private int code;
    private int constructors;
    private int records;
    private int publicTypes;
    private final List<Integer> files = new ArrayList<>();
    private final List<Integer> methods = new ArrayList<>();

    public static void main(String[] folders) throws IOException {
        System.out.printf(
                "%-28s %8s %16s %9s %22s %14s %8s %7s%n",
                "", "code", "file median/p90", "over 300", "method median/p90/max", "constructors", "records", "public");
        for (String folder : folders) {
            Measure measure = new Measure();
            measure.read(Path.of(folder));
            System.out.printf(
                    Locale.ROOT,
                    "%-28s %8d %16s %8.1f%% %22s %14d %8d %7d%n",
                    folder.replace("/src/main/java", ""),
                    measure.code,
                    at(measure.files, 50) + "/" + at(measure.files, 90),
                    measure.files.stream().filter(lines -> lines > 300).count() * 100.0 / measure.files.size(),
                    at(measure.methods, 50) + "/" + at(measure.methods, 90) + "/" + at(measure.methods, 100),
                    measure.constructors,
                    measure.records,
                    measure.publicTypes);
        }
    }

    private static int at(List<Integer> values, int percent) {
        List<Integer> sorted = values.stream().sorted().toList();
        return sorted.isEmpty() ? 0 : sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
    }

    private void read(Path folder) throws IOException {
        List<Path> sources;
        try (Stream<Path> all = Files.walk(folder)) {
            sources = all.filter(file -> file.toString().endsWith(".java") && !file.endsWith("package-info.java")).sorted().toList();
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, message -> {}, null, null, manager.getJavaFileObjectsFromPaths(sources));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                String text = unit.getSourceFile().getCharContent(true).toString();
                files.add((int) text.lines().count());
                code += codeLines(text);
                code -= unit.getImports().size();
                new Visitor(positions).scan(unit, null);
            }
        }
    }

    /** Counts the lines that contain more than white space and comments. */
    private static int codeLines(String text) {
        int lines = 0;
        boolean found = false;
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (letter == '\n') {
                lines += found ? 1 : 0;
                found = false;
            } else if (text.startsWith("//", i)) {
                i = end(text, "\n", i) - 1;
            } else if (text.startsWith("/*", i)) {
                int end = end(text, "*/", i + 2);
                if (text.substring(i, end).contains("\n")) {
                    lines += found ? 1 : 0;
                    found = false;
                }
                i = end + 1;
            } else if (text.startsWith("\"\"\"", i)) {
                int end = end(text, "\"\"\"", i + 3);
                lines += (int) text.substring(i, end).lines().count() - 1;
                found = true;
                i = end + 2;
            } else if (letter == '"' || letter == '\'') {
                found = true;
                for (i++; text.charAt(i) != letter; i++) {
                    i += text.charAt(i) == '\\' ? 1 : 0;
                }
            } else {
                found |= !Character.isWhitespace(letter);
            }
        }
        return lines + (found ? 1 : 0);
    }

    private static int end(String text, String of, int from) {
        int end = text.indexOf(of, from);
        return end < 0 ? text.length() : end;
    }

    private final class Visitor extends TreePathScanner<Void, Void> {
        private final SourcePositions positions;

        Visitor(SourcePositions positions) {
            this.positions = positions;
        }

        @Override
        public Void visitImport(ImportTree tree, Void none) {
            return null;
        }

        @Override
        public Void visitClass(ClassTree tree, Void none) {
            if (tree.getModifiers().getFlags().contains(Modifier.PUBLIC)
                    && getCurrentPath().getParentPath().getLeaf() instanceof CompilationUnitTree) {
                publicTypes++;
            }
            boolean large = tree.getKind() == Tree.Kind.RECORD
                    && tree.getMembers().stream()
                                    .filter(VariableTree.class::isInstance)
                                    .filter(field -> !((VariableTree) field)
                                            .getModifiers()
                                            .getFlags()
                                            .contains(Modifier.STATIC))
                                    .count()
                            > 6;
            records += large ? 1 : 0;
            return super.visitClass(tree, none);
        }

        @Override
        public Void visitMethod(MethodTree tree, Void none) {
            CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
            LineMap lines = unit.getLineMap();
            long end = positions.getEndPosition(unit, tree);
            if (tree.getBody() != null && end >= 0) {
                methods.add((int) (lines.getLineNumber(end)
                        - lines.getLineNumber(positions.getStartPosition(unit, tree))
                        + 1));
            }
            boolean ofRecord = getCurrentPath().getParentPath().getLeaf().getKind() == Tree.Kind.RECORD;
            if (tree.getReturnType() == null && !ofRecord && tree.getParameters().size() > 6) {
                constructors++;
            }
            return super.visitMethod(tree, none);
        }
    }
}
