// SPDX-License-Identifier: Apache-2.0

import EpitaphELF

/// Where the dynamic linker looks for a library that is not loaded yet: ld.so(8).
struct LibrarySearch: Sendable {
    let cache: LoaderCache
    let libraryPath: [ProgramPlace]

    /// An image that needs libraries: its place, its names, and its loaders, the nearest first.
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

    /// The places of a library in search order. Of the first list with files for the image's
    /// processor, any may be loaded, depending on the machine.
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

    /// Fills in `$ORIGIN`, `$LIB` and `$PLATFORM`: ld.so(8), "Dynamic string tokens".
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

    /// The file and its `glibc-hwcaps` variants for newer processors, which come first.
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

    private static let x86: UInt16 = 62

    private static func platform(_ machine: UInt16) -> String {
        machine == x86 ? "x86_64" : "aarch64"
    }

    /// Values of `$LIB`: Debian's, and those of most others.
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
