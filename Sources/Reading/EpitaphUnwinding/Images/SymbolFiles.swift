// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphValues
import Synchronization

/// Breakpad symbol files: `NAME/IDENTIFIER/NAME.sym` in the user's directories, or anywhere below.
final class SymbolFiles: Sendable {
    private let directories: SearchedDirectories
    /// Reasons for rejected files, by module name.
    private let refused = Mutex<[String: String]>([:])

    init(_ directories: SearchedDirectories) {
        self.directories = directories
    }

    /// The symbol file of the module's build; `image` may have the build id that a report cut.
    func file(of module: ModuleSnapshot, _ image: LocatedImage?) -> LocatedSymbolFile? {
        let buildID = image?.image.buildID ?? module.buildID
        let isCut = image == nil && module.isBuildIDCut
        guard !directories.paths.isEmpty, !buildID.isEmpty else { return nil }
        let identifier = BreakpadIdentity(buildID: buildID).debugID
        let name = module.name
        let usual =
            [".", ".."].contains(name)
            ? [] : directories.paths.map { "\($0)/\(name)/\(identifier)/\(name).sym" }
        for path in usual {
            guard let file = open(path), file.header.isOf(buildID: buildID, isCut: isCut) else {
                continue
            }
            return LocatedSymbolFile(file: file, path: path)
        }
        let others = directories.symbolFiles(named: name, identifier: identifier)
        for other in others where other.header.isOf(buildID: buildID, isCut: isCut) {
            if let file = open(other.path) {
                return LocatedSymbolFile(file: file, path: other.path)
            }
        }
        if let other = others.first(where: { $0.header.name == name }) {
            let note =
                "\(other.path) is of another build of \(name): its identifier is "
                + "\(other.header.identifier), the process had \(identifier)"
            refused.withLock { $0[name] = note }
        }
        return nil
    }

    func notes(on modules: [ModuleSnapshot]) -> [String] {
        let names = Set(modules.map(\.name))
        return refused.withLock { refused in
            names.sorted().compactMap { refused[$0] }
        }
    }

    private func open(_ path: String) -> SymbolFile? {
        (try? ForeignFile.contents(of: path)).flatMap(SymbolFile.init)
    }
}

/// The debug file named in `.gnu_debuglink`. GDB manual, Separate Debug Files.
struct DebugLink {
    private let fileName: String?
    private let directory: String

    init(of file: LocatedImage) {
        fileName = file.image.debugLink?.fileName
        directory = file.path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    }

    func paths(_ symbolDirectories: [String]) -> [String] {
        guard let fileName else { return [] }
        return [
            "\(directory)/\(fileName)", "\(directory)/.debug/\(fileName)",
            "/usr/lib/debug\(directory)/\(fileName)",
        ] + symbolDirectories.map { "\($0)/\(fileName)" }
    }

    /// Requires the checksum recorded in `image`: without a build id there is no other evidence.
    static func load(_ path: String, for image: ELFImage) -> LocatedImage? {
        guard let checksum = image.debugLink?.checksum,
            let bytes = try? ForeignFile.contents(of: path),
            bytes.debugLinkChecksum == checksum, let debug = try? ELFImage(bytes)
        else { return nil }
        return LocatedImage(image: debug, path: path)
    }
}
