// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// A frame's source line and its neighbours.
package struct SourceExcerpt: Sendable, Equatable {
    package var firstLine: Int
    package var lines: [String]
    package var line: Int

    package init(firstLine: Int, lines: [String], line: Int) {
        self.firstLine = firstLine
        self.lines = lines
        self.line = line
    }

    package var numbered: [(number: String, text: String, isHere: Bool)] {
        let width = "\(firstLine + lines.count)".count
        return lines.enumerated().map { offset, text in
            let number = firstLine + offset
            return ("\(number)".padded(to: width) + " │ ", text, number == line)
        }
    }
}

/// Returns source lines that certainly were compiled. The report itself opens no file.
package protocol SourceText {
    /// Includes neighbouring lines; nil if the file is missing, not text, or newer than the module.
    func excerpt(of file: String, line: Int, in module: ModuleSnapshot) -> SourceExcerpt?
}

extension ReportStack {
    /// Readers look at the innermost frames of the program's own code.
    static let mostExcerpts = 16
    /// An endless recursion has a million frames of one line.
    private static let mostSearched = 2_000

    /// Adds source lines to the program's own frames, not to those of modules with `problems`.
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
    package func isOfSystem(_ modules: [ModuleSnapshot]) -> Bool {
        guard let index = place?.moduleIndex, modules.indices.contains(index) else { return false }
        return modules[index].isOfSystem
    }
}
