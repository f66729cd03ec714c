// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphValues
import Synchronization

/// ELF files on this machine: at the module's path, in build-id directories, and in the user's
/// directories. GDB manual, "Debugging Information in Separate Files".
package final class InstalledImages: ELFImageSource {
    private let symbolDirectories: [String]
    private let roots: [RootDirectory]
    private let searched: SearchedDirectories
    private let symbolFiles: SymbolFiles
    private let found = Mutex<[Key: ModuleImages]>([:])

    private struct Key: Hashable {
        let path: String
        let buildID: [UInt8]
    }

    /// - Parameters:
    ///   - symbolDirectories: searched first, in order, for `.build-id/xx/yy.debug`, `xx/yy.debug`,
    ///     the same without `.debug`, files of the module's name, and any file with its build id.
    ///   - roots: of containers or devices, searched for the module's own path and for debug files
    ///     where that system's packages put them.
    package init(symbolDirectories: [String] = [], roots: [RootDirectory] = []) {
        self.symbolDirectories = symbolDirectories
        self.roots = roots
        searched = SearchedDirectories(symbolDirectories)
        symbolFiles = SymbolFiles(searched)
    }

    package func notes(on modules: [ModuleSnapshot]) -> [String] {
        searched.notes + symbolFiles.notes(on: modules)
    }

    package func images(for module: ModuleSnapshot) -> ModuleImages {
        let key = Key(path: module.path, buildID: module.buildID)
        if let known = found.withLock({ $0[key] }) { return known }
        let images = search(for: module)
        found.withLock { $0[key] = images }
        return images
    }

    package func makeRoom() {
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
        let own = roots.map { FilePlace(path, in: $0) } + [FilePlace(path)]
        let places = own + symbolDirectories.map { FilePlace($0 + "/" + module.name) }
        guard !module.buildID.isEmpty else { return unverified(module, places) }
        var images = ModuleImages()
        var firstProblem: ImageProblem?
        // Breakpad has only the soname of some libraries; the build id confirms the file.
        let libraries = path.contains("/") ? [] : Self.libraryDirectories.map { $0 + "/" + path }
        let installed = libraries.flatMap { path in
            roots.map { FilePlace(path, in: $0) } + [FilePlace(path)]
        }
        let byID = buildIDPlaces(module.buildID, suffix: "")
        for place in places + installed + byID where images.code == nil {
            switch load(place, of: module) {
            case .success(let image): images.code = image
            case .failure(let problem): firstProblem = firstProblem ?? problem
            }
        }
        addDebugFile(to: &images, of: module)
        // A directory may have the unstripped file under the module's own name.
        if let code = images.code, !code.image.hasCode {
            images.debug = images.debug ?? code
            images.code = nil
        }
        addAlternateFile(to: &images)
        if images.code == nil { images.problem = firstProblem }
        addSymbolFile(to: &images, of: module)
        return images
    }

    private func addSymbolFile(to images: inout ModuleImages, of module: ModuleSnapshot) {
        guard
            ![images.code, images.debug].contains(where: { $0?.image.hasDebugInformation == true })
        else { return }
        images.symbolFile = symbolFiles.file(of: module, images.code ?? images.debug)
        guard images.code == nil, let problem = images.problem, let file = images.symbolFile
        else { return }
        images.problem = .onlySymbolFile(problem, symbolFile: file.path)
    }

    /// By build id, then by the link in the loaded file, then any file with the id.
    private func addDebugFile(to images: inout ModuleImages, of module: ModuleSnapshot) {
        for candidate in debugPlaces(for: module, images.code?.image) where images.debug == nil {
            images.debug = try? load(candidate, of: module).get()
        }
        guard images.code == nil || images.debug == nil else { return }
        for candidate in searched.files(of: module) {
            guard let image = try? load(FilePlace(candidate), of: module).get() else { continue }
            if image.image.hasCode {
                images.code = images.code ?? image
            } else {
                images.debug = images.debug ?? image
            }
        }
    }

    private func addAlternateFile(to images: inout ModuleImages) {
        guard !symbolDirectories.isEmpty || !roots.isEmpty,
            let file = images.debug ?? images.code, let link = file.image.alternateLink
        else { return }
        let named =
            link.fileName.hasPrefix("/") ? roots.map { FilePlace(link.fileName, in: $0) } : []
        let places = named + buildIDPlaces(link.buildID, suffix: ".debug")
        images.alternate = places.lazy.compactMap { try? $0.open() }
            .first { $0.image.buildID == link.buildID }
    }

    private func unverified(_ module: ModuleSnapshot, _ places: [FilePlace]) -> ModuleImages {
        var images = ModuleImages(problem: .noBuildID(path: module.installedPath))
        for (position, place) in places.enumerated() where images.candidate == nil {
            switch load(place, of: module) {
            case .success(let image) where image.image.hasCode: images.candidate = image
            case .failure(let problem) where position == 0: images.problem = problem
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

    /// The vdso has no file. This process has the same one until the next kernel update.
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

    private func load(
        _ place: FilePlace, of module: ModuleSnapshot
    ) -> Result<LocatedImage, ImageProblem> {
        var file: LocatedImage
        do throws(ImageProblem) {
            file = try place.open { module.hasBuild($0) ? nil : module.buildID }
        } catch {
            return .failure(place.root == nil ? error : .belowRoot(error))
        }
        guard module.hasBuild(file.image.buildID) else {
            let problem = ImageProblem.buildIDDiffers(
                path: file.path, expected: module.buildID, found: file.image.buildID)
            return .failure(place.root == nil ? problem : .belowRoot(problem))
        }
        if symbolDirectories.contains(where: { file.path.hasPrefix($0 + "/") }) {
            file.ownerID = nil
        }
        return .success(file)
    }

    private func debugPlaces(for module: ModuleSnapshot, _ code: ELFImage?) -> [FilePlace] {
        // The report may have only the beginning of the build id.
        var places = buildIDPlaces(code?.buildID ?? module.buildID, suffix: ".debug")
        // The link's checksum is not compared: the build id is stronger evidence.
        if let code {
            let link = DebugLink(of: LocatedImage(image: code, path: module.installedPath))
            places += roots.flatMap { root in link.paths([]).map { FilePlace($0, in: root) } }
            places += link.paths(symbolDirectories).map { FilePlace($0) }
        }
        return places + symbolDirectories.map { FilePlace("\($0)/\(module.name).debug") }
    }

    /// Without a suffix: Fedora and others also link the loaded file by build id.
    private func buildIDPlaces(_ buildID: [UInt8], suffix: String) -> [FilePlace] {
        guard let path = buildID.buildIDPath else { return [] }
        let name = "/\(path)\(suffix)"
        let installed = "/usr/lib/debug/.build-id" + name
        return symbolDirectories.flatMap { [$0 + name, $0 + "/.build-id" + name] }
            .map { FilePlace($0) } + roots.map { FilePlace(installed, in: $0) }
            + [FilePlace(installed)]
    }

    /// Library directories of Debian and others: ld.so(8), and multiarch of both architectures.
    private static let libraryDirectories =
        ["x86_64-linux-gnu", "aarch64-linux-gnu"].flatMap { ["/lib/\($0)", "/usr/lib/\($0)"] }
        + ["/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"]
}

extension ModuleSnapshot {
    /// True if a file with this build id, perhaps empty, can be the module's.
    fileprivate func hasBuild(_ id: [UInt8]) -> Bool {
        buildID.isEmpty ? id.isEmpty : isBuild(id)
    }
}
