// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The source line of a frame, with its neighbours.
package struct SourceExcerpt: Sendable, Equatable {
    /// The number of the first of `lines`, counted from 1.
    package var firstLine: Int
    /// Without line breaks.
    package var lines: [String]
    /// The line the frame was at.
    package var line: Int

    /// Line numbers count from 1.
    package init(firstLine: Int, lines: [String], line: Int) {
        self.firstLine = firstLine
        self.lines = lines
        self.line = line
    }

    /// The lines preceded by their numbers, aligned: `42 │ return serve(request)`.
    package var numbered: [(number: String, text: String, isHere: Bool)] {
        let width = "\(firstLine + lines.count)".count
        return lines.enumerated().map { offset, text in
            let number = firstLine + offset
            return ("\(number)".padded(to: width) + " │ ", text, number == line)
        }
    }
}

/// Returns lines of source files that are available and certainly those that were compiled. The
/// report itself opens no file.
package protocol SourceText {
    /// Includes the lines before and after `line`; nil for a file that is missing, is not text, or
    /// is newer than the module.
    func excerpt(of file: String, line: Int, in module: ModuleSnapshot) -> SourceExcerpt?
}

extension ReportStack {
    /// How many frames get lines: readers look at the innermost ones of the program's own code.
    static let mostExcerpts = 16
    /// An endless recursion has a million frames of one line.
    private static let mostSearched = 2_000

    /// The stack with the lines that `source` has for the program's own code.
    ///
    /// - Parameter problems: modules whose file is not the one that ran, by index: their lines would prove
    ///   nothing.
    func withExcerpts(
        from source: any SourceText, _ modules: [ModuleSnapshot], problems: [Int: String]
    ) -> ReportStack {
        var stack = self
        var left = Self.mostExcerpts
        var known: Set<ReportFrame.Source> = []
        for (index, frame) in frames.prefix(Self.mostSearched).enumerated() where left > 0 {
            guard let place = frame.source, let line = place.line, line > 0,
                let module = frame.place?.moduleIndex, modules.indices.contains(module),
                problems[module] == nil, !frame.isOfSystem(modules),
                // A recursion shows its line once.
                known.insert(place).inserted
            else { continue }
            left -= 1
            stack.frames[index].excerpt = source.excerpt(
                of: place.file, line: line, in: modules[module])
        }
        return stack
    }
}

extension ReportFrame {
    /// Whether it is in a library of the system or of a toolchain, such as `/opt/swift/usr/lib`:
    /// readers look for the program's own code first.
    package func isOfSystem(_ modules: [ModuleSnapshot]) -> Bool {
        guard let index = place?.moduleIndex, modules.indices.contains(index) else { return false }
        let module = modules[index]
        guard module.kind != .executable else { return false }
        return module.kind == .vdso
            || module.path.hasPrefix("/lib") || module.path.contains("/usr/lib")
    }
}
