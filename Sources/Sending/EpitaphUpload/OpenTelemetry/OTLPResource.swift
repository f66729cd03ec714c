// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

/// The program that crashed, and where it ran. Sources: the semantic conventions of resources,
/// opentelemetry.io/docs/specs/semconv/resource; "Resource SDK",
/// opentelemetry.io/docs/specs/otel/resource/sdk, for OTEL_RESOURCE_ATTRIBUTES.
struct OTLPResource {
    private(set) var attributes = OTLPAttributes()

    /// What the launch said counts more than what is known of it.
    init(_ report: OutgoingReport, _ snapshot: ProcessSnapshot?) {
        let environment = Self.variables(snapshot)
        attributes["service.name"] = environment["OTEL_SERVICE_NAME"]
        attributes.fill(report.annotations.filter { Self.isOfResource($0.key) })
        attributes.fill(
            OTLPPairs.read(environment["OTEL_RESOURCE_ATTRIBUTES"] ?? "")
                .map { (key: $0.name, value: $0.value) })
        let path = snapshot?.modules.first { $0.kind == .executable }?.path
        let name = path?.lastPathComponent
        func said(_ names: [String]) -> String? {
            names.lazy.compactMap { report.annotations[$0] }.first
        }
        var known = [
            "service.name": said(["prod"]) ?? "unknown_service" + (name.map { ":\($0)" } ?? ""),
            "telemetry.sdk.name": "epitaph",
        ]
        known["service.version"] = said(KnownAnnotations.versionNames)
        known["deployment.environment.name"] = said(["environment"])
        known["host.name"] = said(KnownAnnotations.hostNames)
        known["host.arch"] = snapshot.flatMap { Self.architectures[$0.architecture] }
        known["os.type"] = snapshot?.system.operatingSystem.hasLinuxKernel == true ? "linux" : nil
        let release = Self.fields(snapshot?.files.osRelease)
        known["os.name"] = release["NAME"]
        known["os.version"] = release["VERSION_ID"]
        known["os.description"] = release["PRETTY_NAME"]
        known["process.executable.path"] = path
        known["process.executable.name"] = name
        if report.clientID != .none {
            known["app.installation.id"] = report.clientID.description
        }
        attributes.fill(known)
        attributes.set("process.pid", to: snapshot?.process.id)
        attributes.set("process.parent_pid", to: snapshot?.process.parentID)
    }

    static func isOfResource(_ name: String) -> Bool {
        prefixes.contains { name.hasPrefix($0) }
    }

    private static let prefixes = [
        "service.", "deployment.", "host.", "os.", "process.", "container.", "k8s.", "cloud.",
        "device.", "telemetry.",
    ]

    /// Values of `host.arch`.
    private static let architectures: [Architecture: String] = [
        .x86_64: "amd64", .aarch64: "arm64", .x86: "x86",
    ]

    private static func variables(_ snapshot: ProcessSnapshot?) -> [String: String] {
        settings((snapshot?.environment ?? []).map { $0[...] })
    }

    /// The values of os-release(5), without quotes.
    private static func fields(_ file: ByteSlice?) -> [String: String] {
        settings((file?.text ?? "").split(separator: "\n")).mapValues(\.unquoted)
    }

    /// The first value of each name.
    private static func settings(_ lines: [Substring]) -> [String: String] {
        let pairs = lines.compactMap { $0.halves(at: "=") }
        return Dictionary(
            pairs.map { (String($0.before), String($0.after)) },
            uniquingKeysWith: { first, _ in first })
    }
}
