// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

// Users write `Epitaph.BodyCompression`; our own code writes the short name.
package typealias BodyCompression = Epitaph.BodyCompression
package typealias BodySource = Epitaph.BodySource
package typealias ClientCertificate = Epitaph.ClientCertificate
package typealias HTTPHeader = Epitaph.HTTPHeader
package typealias ProxyServer = Epitaph.ProxyServer
package typealias TimeLimits = Epitaph.TimeLimits
package typealias TransportError = Epitaph.TransportError
package typealias TransportOptions = Epitaph.TransportOptions
package typealias UploadRequest = Epitaph.UploadRequest
package typealias UploadResponse = Epitaph.UploadResponse
package typealias UploadURL = Epitaph.UploadURL
