// SPDX-License-Identifier: Apache-2.0

import EpitaphELF

/// Where the dynamic linker looks for a library, ld.so(8), apart from what was loaded already.
struct LibrarySearch: Sendable {
    let cache: LoaderCache
    /// As LD_LIBRARY_PATH has them.
    let libraryPath: [ProgramPlace]

    /// An image that needs libraries: where it is, what it names, and who loaded it, the nearest first.
    struct Image: Sendable {
        let place: ProgramPlace
        let linkage: ELFLinkage
        let machine: UInt16
        let loaders: [Loader]

        struct Loader: Sendable {
            let place: ProgramPlace
            let linkage: ELFLinkage
        }
    }

    /// The places of a library in the order of the search. Of the first list that has a file for the
    /// image's processor, all such files may be loaded: which one depends on the machine.
    func places(of name: String, for image: Image) -> [[ProgramPlace]] {
        guard !name.contains("/") else { return expanded([name], of: image.place, image) }
        var lists: [[ProgramPlace]] = []
        // DT_RPATH counts only if the image that needs the library has no DT_RUNPATH.
        if image.linkage.ownDirectories.isEmpty {
            lists += directories(image.linkage.inheritedDirectories, name, image.place, image)
            for loader in image.loaders {
                lists += directories(loader.linkage.inheritedDirectories, name, loader.place, image)
            }
        }
        lists += libraryPath.map { place in
            [ProgramPlace(path: place.path + "/" + name, isInRoot: place.isInRoot)]
        }
        lists += directories(image.linkage.ownDirectories, name, image.place, image)
        lists.append(cache.paths(of: name).map { ProgramPlace(path: $0, isInRoot: true) })
        lists += Self.usualDirectories(image.machine).map {
            generations(of: $0 + "/" + name, isInRoot: true, image.machine)
        }
        return lists
    }

    private func directories(
        _ directories: [String], _ name: String, _ origin: ProgramPlace, _ image: Image
    ) -> [[ProgramPlace]] {
        expanded(directories.map { $0 + "/" + name }, of: origin, image)
    }

    /// Paths with `$ORIGIN`, `$LIB` and `$PLATFORM` filled in, ld.so(8), "Dynamic string tokens".
    private func expanded(
        _ paths: [String], of origin: ProgramPlace, _ image: Image
    ) -> [[ProgramPlace]] {
        paths.flatMap { path -> [[ProgramPlace]] in
            let hasOrigin = path.contains("$ORIGIN") || path.contains("${ORIGIN}")
            guard hasOrigin || path.hasPrefix("/") else { return [] }
            let here = Self.filled(path, "ORIGIN", origin.directory)
            let platform = Self.filled(here, "PLATFORM", Self.platform(image.machine))
            let isInRoot = hasOrigin ? origin.isInRoot : true
            guard platform.contains("$LIB") || platform.contains("${LIB}") else {
                return [generations(of: platform, isInRoot: isInRoot, image.machine)]
            }
            return Self.libraryNames(image.machine).map { lib in
                generations(
                    of: Self.filled(platform, "LIB", lib), isInRoot: isInRoot, image.machine)
            }
        }
    }

    /// The file itself, and those of `glibc-hwcaps` for newer processors, which come first.
    private func generations(
        of path: String, isInRoot: Bool, _ machine: UInt16
    ) -> [ProgramPlace] {
        guard machine == Self.x86, let slash = path.lastIndex(of: "/") else {
            return [ProgramPlace(path: path, isInRoot: isInRoot)]
        }
        let newer = ["v4", "v3", "v2"].map { version in
            "\(path[..<slash])/glibc-hwcaps/x86-64-\(version)\(path[slash...])"
        }
        return (newer + [path]).map { ProgramPlace(path: $0, isInRoot: isInRoot) }
    }

    private static func filled(_ path: String, _ token: String, _ value: String) -> String {
        path.replacing("${\(token)}", with: value).replacing("$\(token)", with: value)
    }

    /// EM_X86_64
    private static let x86: UInt16 = 62

    private static func platform(_ machine: UInt16) -> String {
        machine == x86 ? "x86_64" : "aarch64"
    }

    /// What `$LIB` is: Debian's, and that of most others.
    private static func libraryNames(_ machine: UInt16) -> [String] {
        ["lib/\(platform(machine))-linux-gnu", "lib64", "lib"]
    }

    private static func usualDirectories(_ machine: UInt16) -> [String] {
        let triplet = platform(machine) + "-linux-gnu"
        return [
            "/lib/\(triplet)", "/usr/lib/\(triplet)", "/lib64", "/usr/lib64", "/lib", "/usr/lib",
        ]
    }
}
