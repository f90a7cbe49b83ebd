interface Props {
  title: string;
}

export const View = <T,>({ title }: Props & { item: T }) => {
  const onOpen = () => <b>{title}</b>;
  return <section onClick={onOpen}>{title}</section>;
};

export default class Page extends React.Component<Props> {
  render() {
    return <View title={this.props.title} item={1} />;
  }
}
