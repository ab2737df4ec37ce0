# The proxy alone, for compose files: docker build -t trunkline .
FROM golang:1.26 AS build
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -buildvcs=false -o /proxy ./cmd/proxy

FROM alpine:3.20
COPY --from=build /proxy /proxy
# Where agents are kept without --store; a volume here outlives the container.
RUN mkdir -m 0700 /state && chown nobody /state
ENV XDG_STATE_HOME=/state
USER nobody
ENTRYPOINT ["/proxy"]
