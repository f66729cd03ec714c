// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem

/// The files loaded when programs start, with libraries as ld.so(8) finds them.
package struct ReleaseFiles {
    package struct File: Sendable, Hashable {
        package let path: String
        /// The path of a file that needs it; nil for a named file.
        package let neededBy: String?
    }

    /// Without duplicates: each named file is followed by what only it needs so far.
    package private(set) var files: [File] = []
    /// Missing libraries and unreadable files, as sentences without a full stop.
    package private(set) var problems: [String] = []

    private let root: SystemRoot
    private let search: LibrarySearch
    private var known: Set<String> = []
    private var facts: [String: Facts?] = [:]

    private struct Facts {
        let machine: UInt16
        let linkage: ELFLinkage?
        let interpreter: String?
    }

    /// More than any program loads; ends a search in a hostile tree.
    private static let imageLimit = 16_384

    /// - Parameter libraryPath: directories as in LD_LIBRARY_PATH, as the programs see them.
    package init(root: SystemRoot, libraryPath: [String] = []) {
        self.root = root
        search = LibrarySearch(
            cache: root.loaderCache,
            libraryPath: libraryPath.map { ProgramPlace(path: $0, isInRoot: true) })
    }

    /// Adds a file, whose `path` has no symbolic links, and its dependencies if wanted.
    package mutating func add(_ path: String, withLibraries: Bool) {
        append(path, neededBy: nil)
        guard withLibraries, let own = read(path) else { return }
        let place = root.place(of: path)
        if let interpreter = own.interpreter {
            let loader = ProgramPlace(path: interpreter, isInRoot: true)
            if let found = root.locate(loader) {
                append(found, neededBy: path)
            } else {
                problems.append("\(interpreter), which \(path) needs, is not there")
            }
        }
        guard let linkage = own.linkage else { return }
        follow(
            .init(place: place, linkage: linkage, machine: own.machine, loaders: []), path: path)
    }

    /// Breadth first and each name once, as ld.so does.
    private mutating func follow(_ program: LibrarySearch.Image, path: String) {
        var waiting = [(image: program, path: path)]
        var names: Set<String> = []
        var next = 0
        while next < waiting.count, waiting.count < Self.imageLimit {
            let (image, path) = waiting[next]
            next += 1
            for name in image.linkage.libraries where names.insert(name).inserted {
                let found = libraries(name, of: image)
                if found.isEmpty { problems.append(missing(name, path)) }
                for (place, real, linkage) in found {
                    append(real, neededBy: path)
                    guard let linkage else { continue }
                    let loader = LibrarySearch.Image.Loader(
                        place: image.place, linkage: image.linkage)
                    waiting.append(
                        (
                            .init(
                                place: place, linkage: linkage, machine: image.machine,
                                loaders: [loader] + image.loaders), real
                        ))
                }
            }
        }
    }

    private mutating func libraries(
        _ name: String, of image: LibrarySearch.Image
    ) -> [(ProgramPlace, String, ELFLinkage?)] {
        for list in search.places(of: name, for: image) {
            var found: [(ProgramPlace, String, ELFLinkage?)] = []
            for place in list {
                guard let real = root.locate(place), let own = read(real),
                    own.machine == image.machine
                else { continue }
                found.append((place, real, own.linkage))
            }
            if !found.isEmpty { return found }
        }
        return []
    }

    private func missing(_ name: String, _ path: String) -> String {
        let hint =
            root.path == nil
            ? "--library-path names more directories, --sysroot another file system"
            : "--library-path names more directories"
        return "the library \(name), which \(path) needs, is not there; \(hint)"
    }

    private mutating func append(_ path: String, neededBy: String?) {
        guard known.insert(path).inserted else { return }
        files.append(File(path: path, neededBy: neededBy))
    }

    private mutating func read(_ path: String) -> Facts? {
        if let known = facts[path] { return known }
        let image = (try? ForeignFile.contents(of: path)).flatMap { try? ELFImage($0) }
        let read = image.map {
            Facts(machine: $0.machine, linkage: $0.linkage, interpreter: $0.interpreter)
        }
        facts[path] = .some(read)
        return read
    }
}
