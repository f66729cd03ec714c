// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphSymbolStore
import EpitaphSystem

struct SymbolCollecting {
    private let directory: String
    private let root: SystemRoot
    private let libraryPath: [String]
    private let debugDirectories: [String]
    private let withLibraries: Bool
    private let withBreakpad: Bool
    private let isJSON: Bool

    init(_ arguments: ParsedArguments, _ directory: String) throws(CommandFailure) {
        self.directory = directory
        withLibraries = !arguments.has(SymbolsCommand.noLibraries)
        libraryPath = arguments.values(of: SymbolsCommand.libraryPath)
        debugDirectories = arguments.values(of: SymbolOptions.debuggerSymbols)
        withBreakpad = arguments.has(SymbolsCommand.breakpad)
        isJSON = arguments.has(.json)
        let path = arguments.value(of: SymbolsCommand.sysroot)
        root = try orReason(.notFound, "cannot open \(path ?? "/")", SystemRoot(path))
        for directory in debugDirectories {
            _ = try orReason(
                .notFound, "cannot look for symbols in \(directory)",
                Directory(opening: realPath(of: directory)))
        }
    }

    func run(_ words: [String], _ output: Output) throws(CommandFailure) {
        let named = try words.map { word throws(CommandFailure) in try files(word, output) }
            .flatMap(\.self)
        var release = ReleaseFiles(root: root, libraryPath: libraryPath)
        for path in named { release.add(path, withLibraries: withLibraries) }
        release.problems.forEach { output.complain($0) }
        let store = try orFail(SymbolStore(making: directory))
        let news = CollectedFiles(output, isJSON: isJSON)
        let collection = SymbolCollection(
            into: store, root: root, debugDirectories: debugDirectories,
            withBreakpad: withBreakpad, report: news.take)
        var failure: SymbolStoreError?
        for file in release.files where failure == nil {
            do throws(SymbolStoreError) {
                try collection.add(file.path)
            } catch {
                failure = error
            }
        }
        news.finish(release.files.count)
        if let failure { throw CommandFailure(.incomplete, "\(failure)") }
    }

    private func files(_ word: String, _ output: Output) throws(CommandFailure) -> [String] {
        let named = try orReason(.notFound, "cannot open \(word)", NamedFiles(word))
        named.problems.forEach { output.complain($0) }
        if named.paths.isEmpty { output.complain("there is no program or library in \(word)") }
        return named.paths
    }
}

final class CollectedFiles {
    private let output: Output
    private let isJSON: Bool
    private var stored: [SymbolCollection.Stored] = []
    private var lacking: [String] = []
    private var failures: [String] = []

    init(_ output: Output, isJSON: Bool) {
        self.output = output
        self.isJSON = isJSON
    }

    func take(_ event: SymbolCollection.Event) {
        switch event {
        case .stored(let file):
            // Several modules may share a debug file.
            guard !stored.contains(where: { $0.name == file.name && $0.source == file.source })
            else { return }
            stored.append(file)
            guard !isJSON else { return }
            let word = Self.word(file.outcome).padded(to: 9)
            output.print(TerminalText.line("\(word)\(file.name)  \(file.source)"))
        case .lacking(let path):
            lacking.append(path)
            guard !isJSON else { return }
            output.print(TerminalText.line("lacking  debug information of \(path)"))
        case .failed(let sentence):
            failures.append(sentence)
            output.complain(sentence)
        }
    }

    func finish(_ count: Int) {
        guard !isJSON else {
            let files = stored.map { file -> PrintedJSON in
                [
                    "part": file.part.rawValue, "outcome": Self.word(file.outcome),
                    "name": file.name, "source": file.source, "sizeBytes": file.sizeBytes,
                ]
            }
            let json = PrintedJSON(
                schema: "symbols-collect",
                ["files": files, "lacking": lacking, "failures": failures])
            return output.print(json.text)
        }
        let added = stored.filter { $0.outcome == .added || $0.outcome == .replaced }
        let bytes = added.reduce(0) { $0 + $1.sizeBytes }
        output.print(
            "\(added.count) files added (\(bytes >> 20) MiB), "
                + "\(stored.count - added.count) were there")
        guard !lacking.isEmpty else { return }
        output.note(
            "debug information of \(lacking.count) files was not found: their functions have the "
                + "names of their symbols, which may be only those exported, and no lines")
    }

    private static func word(_ outcome: SymbolStore.Outcome) -> String {
        switch outcome {
        case .added: "added"
        case .replaced: "replaced"
        // Readers do not care that the stored file has other sections.
        case .present, .presentDifferently: "present"
        }
    }
}
