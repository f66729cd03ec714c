// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSymbols
import EpitaphSystem
import EpitaphUnwinding
import EpitaphValues

package final class SymbolCollection {
    package enum Event: Sendable {
        case stored(Stored)
        /// The path of a file without debug information, which may never have had any.
        case lacking(String)
        /// A part of the release that is not in the store; a sentence without a full stop.
        case failed(String)
    }

    package struct Stored: Sendable, Equatable {
        package let part: StoredPart
        package let source: String
        package let name: String
        package let outcome: SymbolStore.Outcome
        package let sizeBytes: Int
    }

    private let store: SymbolStore
    private let images: InstalledImages
    private let withBreakpad: Bool
    private let report: (Event) -> Void

    /// - Parameters:
    ///   - root: where the programs run, with their debug files.
    ///   - debugDirectories: searched for debug files first.
    ///   - report: called for every event.
    package init(
        into store: SymbolStore, root: SystemRoot, debugDirectories: [String],
        withBreakpad: Bool, report: @escaping (Event) -> Void
    ) {
        self.store = store
        self.report = report
        self.withBreakpad = withBreakpad
        images = InstalledImages(symbolDirectories: debugDirectories + root.debugDirectories)
    }

    /// Adds a file with its own debug files.
    ///
    /// - Throws: if the store cannot be written, so that further files are useless.
    package func add(_ path: String) throws(SymbolStoreError) {
        guard let source = open(path) else { return }
        let (file, image) = source
        images.makeRoom()
        guard image.hasCode else {
            try put(file, .debug, image.buildID)
            return try addParts(of: LocatedImage(image: image, path: path), code: nil)
        }
        guard try put(file, .executable, image.buildID) else { return }
        let code = LocatedImage(image: image, path: path)
        var module = ModuleSnapshot(path: path, addressRange: 0..<UInt64.max, kind: .executable)
        module.buildID = image.buildID
        let debug = images.images(for: module).debug.flatMap { $0.image.isWhole ? $0 : nil }
        if withBreakpad { try putBreakpad(code, debug, file) }
        if let debug {
            if let debugFile = open(debug.path) {
                try put(debugFile.file, .debug, image.buildID)
            }
            return try addParts(of: debug, code: code)
        }
        guard image.hasDebugInformation else {
            // Its symbols at least name functions.
            if image.hasSymbols { try putDebugName(file, image.buildID) }
            report(.lacking(path))
            return
        }
        try putDebugName(file, image.buildID)
        try addParts(of: code, code: nil)
    }

    /// The file, if complete and with a build id. dwz's files have the type of object files.
    private func open(
        _ path: String, isLoaded: Bool = true
    ) -> (file: FileDescriptor, image: ELFImage)? {
        do {
            let file = try ForeignFile.open(path)
            let image = try ELFImage(FileBytes.contents(of: file))
            guard let reason = Self.reasonNotToStore(image, isLoaded) else { return (file, image) }
            report(.failed("\(path) is not stored: \(reason)"))
        } catch let error as SystemError {
            report(.failed("\(path) cannot be read: \(error.reason)"))
        } catch {
            report(.failed("\(path) is not stored: \(error)"))
        }
        return nil
    }

    private static func reasonNotToStore(_ image: ELFImage, _ isLoaded: Bool) -> String? {
        switch image.type {
        case 1 where isLoaded: return "it is an object file, which no process loads"
        case 4: return "it is a core file"
        default: break
        }
        guard !image.buildID.isEmpty else {
            return "it has no build id, so no report could ask for it; link it with -Wl,--build-id"
        }
        guard image.isWhole else { return "it ends before its sections do, so it is not whole" }
        return nil
    }

    @discardableResult
    private func put(
        _ file: FileDescriptor, _ part: StoredPart, _ buildID: [UInt8], from path: String? = nil
    ) throws(SymbolStoreError) -> Bool {
        try putting(file, part, buildID, from: path) { () throws(SymbolStoreError) in
            try store.add(file, as: part, of: buildID)
        }
    }

    private func putDebugName(
        _ file: FileDescriptor, _ buildID: [UInt8]
    ) throws(SymbolStoreError) {
        _ = try putting(file, .debug, buildID) { () throws(SymbolStoreError) in
            try store.addDebugName(of: file, buildID)
        }
    }

    private func putting(
        _ file: FileDescriptor, _ part: StoredPart, _ buildID: [UInt8], from path: String? = nil,
        _ body: () throws(SymbolStoreError) -> SymbolStore.Outcome
    ) throws(SymbolStoreError) -> Bool {
        do {
            let outcome = try body()
            reportStored(
                file, part, from: path ?? file.path,
                as: store.name(of: part, of: buildID) ?? "", outcome)
            return true
        } catch {
            guard !error.concernsStore else { throw error }
            report(.failed("\(error)"))
            return false
        }
    }

    private func reportStored(
        _ file: FileDescriptor, _ part: StoredPart, from source: String, as name: String,
        _ outcome: SymbolStore.Outcome
    ) {
        let size = (try? file.fileStatus().sizeBytes) ?? 0
        report(
            .stored(
                Stored(
                    part: part, source: source, name: name, outcome: outcome, sizeBytes: size)))
    }
}

extension SymbolCollection {
    private func putBreakpad(
        _ code: LocatedImage, _ debug: LocatedImage?, _ source: FileDescriptor
    ) throws(SymbolStoreError) {
        let file: BreakpadFile?
        do {
            file = try BreakpadFile.make(
                code, debug: debug, permissions: (try? source.fileStatus().permissions) ?? 0o644,
                in: store.realPath)
        } catch {
            return report(.failed("no symbol file of \(code.path) was made: \(error.reason)"))
        }
        guard let file else {
            return report(
                .failed("no symbol file of \(code.path) was made: its processor is not known"))
        }
        for (name, outcome) in try store.add(file) {
            reportStored(file.contents, .breakpad, from: code.path, as: name, outcome)
        }
    }

    /// Adds what debug information refers to; `code` is its program, if another file.
    private func addParts(
        of debug: LocatedImage, code: LocatedImage?
    ) throws(SymbolStoreError) {
        let paths = [code?.path, debug.path].compactMap(\.self)
        let parts = DebugInformationParts(of: debug, paths: paths)
        if let problem = parts.problem {
            report(.failed("it is not known whether \(debug.path) has split units: \(problem)"))
        }
        try addAlternate(parts, of: debug)
        try addSplitUnits(parts, of: debug, program: code ?? debug)
    }

    private func addAlternate(
        _ parts: DebugInformationParts, of debug: LocatedImage
    ) throws(SymbolStoreError) {
        guard let alternate = parts.alternate else { return }
        // Many debug files share one.
        guard !store.has(.debug, of: alternate.buildID) else { return }
        guard let found = alternate.file else {
            return report(
                .failed(
                    "\(alternate.name), into which dwz moved what \(debug.path) shares with others, "
                        + "is not there"))
        }
        guard let (file, _) = open(found.path, isLoaded: false) else { return }
        try put(file, .debug, alternate.buildID)
    }

    private func addSplitUnits(
        _ parts: DebugInformationParts, of debug: LocatedImage, program: LocatedImage
    ) throws(SymbolStoreError) {
        guard !parts.splitUnits.isEmpty else { return }
        let missing = Set(parts.splitUnits.filter { $0.path == nil }.map(\.name))
        for name in missing.sorted() {
            report(.failed("\(name), which has functions of \(debug.path), is not there"))
        }
        // A partial package would be taken for a complete one.
        guard missing.isEmpty else { return }
        let paths = Set(parts.splitUnits.compactMap(\.path))
        let source: FileDescriptor
        if paths.count == 1, let path = paths.first, path.hasSuffix(".dwp") {
            guard let file = try? ForeignFile.open(path) else { return }
            source = file
        } else {
            guard let file = package(parts.splitUnits, of: program) else { return }
            source = file
        }
        let part = Self.isOfVersion5(source) ? StoredPart.package5 : .package
        let name = program.path.lastPathComponent
        guard try put(source, part, debug.image.buildID, from: program.path + ".dwp"),
            part == .package
        else { return }
        try store.addPackageName(name + ".dwp", of: debug.image.buildID)
    }

    /// By the index: DWARF 5, 7.3.5.3.
    private static func isOfVersion5(_ package: FileDescriptor) -> Bool {
        guard let image = try? ELFImage(FileBytes.contents(of: package)),
            let index = image.section(named: ".debug_cu_index")
        else { return false }
        return image.contents(of: index).load(at: 0, as: UInt16.self) == 5
    }

    private func package(
        _ units: [DebugInformationParts.SplitUnit], of program: LocatedImage
    ) -> FileDescriptor? {
        do {
            let package = try PackageBuilder(units)
            let file = try ScratchFile(in: store.realPath).descriptor
            try package.write(to: file)
            try file.setPermissions(0o644)
            return file
        } catch let refusal as PackageBuilder.Refusal {
            report(.failed("the split units of \(program.path) are not stored: \(refusal.reason)"))
        } catch {
            report(.failed("the split units of \(program.path) are not stored: \(error)"))
        }
        return nil
    }
}

extension ELFImage {
    /// SHT_SYMTAB: all functions, not only exported ones.
    fileprivate var hasSymbols: Bool { sections.contains { $0.type == 2 } }
}
