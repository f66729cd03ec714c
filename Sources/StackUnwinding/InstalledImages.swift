// SPDX-License-Identifier: Apache-2.0

import Bytes
import ELFImage
import LinuxSystem
import Snapshot
import Synchronization

/// The ELF files of this machine: the module's own path, the build-id directories of debug
/// packages, and directories given by the user. See "Debugging Information in Separate Files" in
/// the GDB manual.
///
/// Each module is looked up only once.
public final class InstalledImages: ELFImageSource {
    private let symbolDirectories: [String]
    private let buildIDDirectories: [String]
    private let searched: Mutex<[SymbolDirectory]>
    private let found = Mutex<[Key: ModuleImages]>([:])

    private struct Key: Hashable {
        let path: String
        let buildID: [UInt8]
    }

    /// - Parameter symbolDirectories: searched first, in order, for `.build-id/xx/yy.debug`,
    ///   `xx/yy.debug`, files of the module's name, and any file below them with its build id.
    public init(symbolDirectories: [String] = []) {
        self.symbolDirectories = symbolDirectories
        buildIDDirectories =
            symbolDirectories.flatMap { [$0, $0 + "/.build-id"] }
            + ["/usr/lib/debug/.build-id"]
        searched = Mutex(symbolDirectories.map(SymbolDirectory.init))
    }

    /// Opens the module's files at its first call and remembers them until `makeRoom`.
    public func images(for module: ModuleSnapshot) -> ModuleImages {
        let key = Key(path: module.path, buildID: module.buildID)
        if let known = found.withLock({ $0[key] }) { return known }
        let images = search(for: module)
        found.withLock { $0[key] = images }
        return images
    }

    public func makeRoom() {
        guard HeldMemory.heldBytes > HeldMemory.limitBytes / 2 else { return }
        let closed = found.withLock { found in
            defer { found = [:] }
            return found
        }
        // Released outside the lock.
        _ = closed
    }

    private func search(for module: ModuleSnapshot) -> ModuleImages {
        if let bytes = module.image { return captured(bytes, of: module) }
        let path = module.installedPath
        let paths = [path] + symbolDirectories.map { $0 + "/" + module.name }
        guard !module.buildID.isEmpty else { return unverified(module, paths: paths) }
        var images = ModuleImages()
        var firstProblem: ImageProblem?
        // Breakpad gives only the soname of some libraries. The build id shows whether it is the
        // right file.
        let installed = path.contains("/") ? [] : Self.libraryDirectories.map { $0 + "/" + path }
        for candidate in paths + installed where images.code == nil || paths.contains(candidate) {
            switch load(candidate, of: module) {
            case .success(let image): images.code = images.code ?? image
            case .failure(let problem): firstProblem = firstProblem ?? problem
            }
        }
        addDebugFile(to: &images, of: module)
        // A directory may also contain the unstripped file under the module's own name.
        if let code = images.code, !code.image.hasCode {
            images.debug = images.debug ?? code
            images.code = nil
        }
        if images.code == nil { images.problem = firstProblem }
        return images
    }

    /// By build id, then by the link in the file that was loaded, then any other file with the id.
    private func addDebugFile(to images: inout ModuleImages, of module: ModuleSnapshot) {
        for candidate in debugPaths(for: module, images.code?.image) where images.debug == nil {
            images.debug = try? load(candidate, of: module).get()
        }
        guard images.code == nil || images.debug == nil else { return }
        let others = searched.withLock { directories in
            directories.flatMap { $0.files(of: module) }
        }
        for candidate in others {
            guard let image = try? load(candidate, of: module).get() else { continue }
            if image.image.hasCode {
                images.code = images.code ?? image
            } else {
                images.debug = images.debug ?? image
            }
        }
    }

    /// Neither the module nor its file has a build id: whether they belong together is decided
    /// elsewhere.
    private func unverified(_ module: ModuleSnapshot, paths: [String]) -> ModuleImages {
        var images = ModuleImages(problem: .noBuildID(path: paths[0]))
        for candidate in paths where images.candidate == nil {
            switch load(candidate, of: module) {
            case .success(let image) where image.image.hasCode: images.candidate = image
            case .failure(let problem) where candidate == paths[0]: images.problem = problem
            default: break
            }
        }
        guard let candidate = images.candidate else { return images }
        images.problem = .noBuildID(path: candidate.path)
        images.debug =
            DebugLink(of: candidate).paths(symbolDirectories).lazy
            .compactMap { DebugLink.load($0, for: candidate.image) }.first
        return images
    }

    /// The vdso has no file. This process has the same one until the next kernel update, and the
    /// dump has its bytes.
    private func captured(_ bytes: ByteSlice, of module: ModuleSnapshot) -> ModuleImages {
        if !module.buildID.isEmpty, let own = Self.ownVirtualLibrary,
            module.isBuild(own.buildID)
        {
            return ModuleImages(code: LocatedImage(image: own, path: module.path))
        }
        do {
            let image = try ELFImage(bytes)
            return ModuleImages(
                code: LocatedImage(image: image, path: module.path, isInstalled: false))
        } catch {
            let problem = ImageProblem.unreadable(path: module.path, reason: error.description)
            return ModuleImages(problem: problem)
        }
    }

    private static let ownVirtualLibrary = VirtualLibrary.image().flatMap { try? ELFImage($0) }

    /// Reads one file and checks that it is the module's.
    private func load(
        _ path: String, of module: ModuleSnapshot
    ) -> Result<LocatedImage, ImageProblem> {
        let image: ELFImage
        do {
            let bytes = try ForeignFile.contents(of: path)
            // If the note is where linkers put it, the file need not be read any further to see
            // that it is another one.
            let head = try? ELFImage(ByteSlice(bytes.slice(from: 0, length: Self.headBytes).array))
            if let id = head?.buildID, !id.isEmpty, !module.hasBuild(id) {
                return .failure(
                    .buildIDDiffers(path: path, expected: module.buildID, found: id))
            }
            image = try ELFImage(bytes)
        } catch let error as SystemError {
            guard error.isNoSuchFile else {
                return .failure(.unreadable(path: path, reason: error.reasonNotToOpen))
            }
            return .failure(.notFound(path: path))
        } catch {
            return .failure(.unreadable(path: path, reason: "\(error)"))
        }
        guard module.hasBuild(image.buildID) else {
            return .failure(
                .buildIDDiffers(path: path, expected: module.buildID, found: image.buildID))
        }
        return .success(LocatedImage(image: image, path: path))
    }

    private static let headBytes = 1 << 16

    private func debugPaths(for module: ModuleSnapshot, _ code: ELFImage?) -> [String] {
        // The file has the whole of a build id of which the report has only the beginning.
        let buildID = code?.buildID ?? module.buildID
        guard let first = buildID.first, buildID.count > 1 else { return [] }
        let rest = buildID.dropFirst().map(Self.twoDigits).joined()
        var paths = buildIDDirectories.map { "\($0)/\(Self.twoDigits(first))/\(rest).debug" }
        // The link's checksum is not compared, because the build id is stronger evidence.
        if let code {
            let file = LocatedImage(image: code, path: module.installedPath)
            paths += DebugLink(of: file).paths(symbolDirectories)
        }
        paths += symbolDirectories.map { "\($0)/\(module.name).debug" }
        return paths
    }

    private static func twoDigits(_ byte: UInt8) -> String {
        let text = String(byte, radix: 16)
        return text.count == 1 ? "0" + text : text
    }

    /// Where Debian and similar systems, and others, keep libraries: ld.so(8), and the multiarch
    /// directories of both architectures.
    private static let libraryDirectories =
        ["x86_64-linux-gnu", "aarch64-linux-gnu"].flatMap { ["/lib/\($0)", "/usr/lib/\($0)"] }
        + ["/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"]
}

extension SystemError {
    /// ENOENT or ENOTDIR, errno(3).
    fileprivate var isNoSuchFile: Bool { errorNumber == 2 || errorNumber == 20 }

    /// For files that `ForeignFile` refuses to open: EINVAL, EFBIG.
    fileprivate var reasonNotToOpen: String {
        switch errorNumber {
        case 22: "it is not a regular file of a disk, and is not opened"
        case 27: "it is larger than \(FileBytes.mostBytes >> 30) GiB, and is not opened"
        default: reason
        }
    }
}

extension ModuleSnapshot {
    /// Whether a file with this build id, which may be empty, can be the module's.
    fileprivate func hasBuild(_ id: [UInt8]) -> Bool {
        buildID.isEmpty ? id.isEmpty : isBuild(id)
    }
}
