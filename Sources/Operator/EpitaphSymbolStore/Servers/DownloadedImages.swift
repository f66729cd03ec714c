// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphUnwinding
import EpitaphValues
import Synchronization

/// The ELF files of this machine, and missing ones from servers. A file is used only if it has the
/// build id; a module whose build id is not known in full is not requested.
package final class DownloadedImages: ELFImageSource {
    private let base: any ELFImageSource
    private let servers: SymbolServers
    private let fetchesDebugInformation: Bool
    private let found = Mutex<Found>(Found())

    private struct Key: Hashable {
        let path: String
        let buildID: [UInt8]
    }

    private struct Found {
        var images: [Key: ModuleImages] = [:]
        var used: Set<SymbolRequest> = []
    }

    /// - Parameters:
    ///   - base: asked first.
    ///   - fetchesDebugInformation: false to fetch only loaded files.
    package init(
        _ base: any ELFImageSource, servers: SymbolServers, fetchesDebugInformation: Bool = true
    ) {
        self.base = base
        self.servers = servers
        self.fetchesDebugInformation = fetchesDebugInformation
    }

    package func images(for module: ModuleSnapshot) -> ModuleImages {
        let key = Key(path: module.path, buildID: module.buildID)
        if let known = found.withLock({ $0.images[key] }) { return known }
        let images = completed(base.images(for: module), for: module)
        found.withLock { $0.images[key] = images }
        return images
    }

    package func makeRoom() {
        base.makeRoom()
        servers.renewBudget()
        guard HeldMemory.heldBytes > HeldMemory.limitBytes / 2 else { return }
        let closed = found.withLock { found in
            defer { found.images = [:] }
            return found.images
        }
        // Released outside the lock.
        _ = closed
    }

    package func notes(on reported: [ModuleSnapshot]) -> [String] {
        let names = Set(reported.map(\.name))
        let used = found.withLock(\.used).filter { names.contains($0.module) }
        let modules = Dictionary(grouping: used, by: \.module)
        // Sorted, so that explanations of a report are reproducible.
        let lines = modules.keys.sorted().map { name in
            let kinds = modules[name, default: []].map(\.kind)
            return kinds.contains(.executable)
                ? kinds.contains(.debugInformation) ? "\(name) with debug information" : name
                : "debug information of \(name)"
        }
        let note = lines.isEmpty ? nil : "from symbol servers: " + lines.joined(separator: ", ")
        return base.notes(on: reported) + [note].compactMap(\.self) + servers.notes
    }

    private func completed(_ images: ModuleImages, for module: ModuleSnapshot) -> ModuleImages {
        var images = images
        // The vdso is in no file.
        guard module.kind != .vdso, module.image == nil,
            let buildID = wholeBuildID(of: module, images)
        else { return images }
        if images.code == nil,
            let code = fetch(.executable, buildID, of: module)
        {
            images.code = code
            images.problem = nil
        }
        let isDescribed =
            images.code?.image.hasDebugInformation == true || images.debug != nil
            || images.symbolFile != nil
        if fetchesDebugInformation, !isDescribed {
            images.debug = fetch(.debugInformation, buildID, of: module)
        }
        guard fetchesDebugInformation, images.alternate == nil,
            let link = [images.debug, images.code].lazy.compactMap({ $0?.image.alternateLink })
                .first
        else { return images }
        images.alternate = fetch(.debugInformation, link.buildID, of: module)
        return images
    }

    /// Breakpad kept 16 bytes, which no server finds; a file has the rest.
    private func wholeBuildID(of module: ModuleSnapshot, _ images: ModuleImages) -> [UInt8]? {
        let file = images.code ?? images.debug
        let buildID = file?.image.buildID ?? (module.isBuildIDCut ? [] : module.buildID)
        return buildID.isEmpty ? nil : buildID
    }

    private func fetch(
        _ kind: SymbolRequest.Kind, _ buildID: [UInt8], of module: ModuleSnapshot
    ) -> LocatedImage? {
        let request = SymbolRequest(kind, buildID: buildID, module: module.name)
        let file = servers.file(request) { file -> SymbolServers.Reading<LocatedImage> in
            do {
                let image = try ELFImage(FileBytes.contents(of: file.descriptor))
                guard image.buildID == buildID else {
                    let found = image.buildID.hexDigits
                    return .refused(
                        "its build id is \(found.isEmpty ? "missing" : found), not "
                            + request.buildIDDigits)
                }
                return .accepted(
                    LocatedImage(image: image, path: file.path, isDownloaded: true))
            } catch {
                return .refused("\(error)")
            }
        }
        if file != nil { found.withLock { _ = $0.used.insert(request) } }
        return file
    }
}
